/** How ginkgo's report becomes results. */
import { describe, expect, test } from 'vitest';
import { failedNames, formatScore, type Result, replaced, resultsOf, scoreOf } from '../../conformance/report.ts';

type Given = { containers?: string[]; text: string; state: string; type?: string; message?: string };

/** A report of one suite, as ginkgo writes it. */
function report(...specs: Given[]): unknown {
  return [
    {
      SpecReports: specs.map(({ containers, text, state, type = 'It', message }) => ({
        ContainerHierarchyTexts: containers ?? null,
        LeafNodeText: text,
        LeafNodeType: type,
        State: state,
        RunTime: 1_500_000_000,
        ...(message === undefined ? {} : { Failure: { Message: message } }),
      })),
    },
  ];
}

const result = (name: string, outcome: Result['outcome'], detail = '', seconds = 1.5): Result => ({
  name,
  outcome,
  detail,
  seconds,
});

describe('resultsOf', () => {
  const cases: [string, Given, Result][] = [
    [
      'a name is its containers and its text',
      { containers: ['[sig] A', 'B'], text: 'c', state: 'passed' },
      result('[sig] A B c', 'passed'),
    ],
    ['a failure keeps its words', { text: 'c', state: 'failed', message: 'boom' }, result('c', 'failed', 'boom')],
    ['a panic is a failure', { text: 'c', state: 'panicked', message: 'nil' }, result('c', 'failed', 'nil')],
    ['a timeout is a failure', { text: 'c', state: 'timedout', message: 'late' }, result('c', 'failed', 'late')],
    ['one that skips itself says why', { text: 'c', state: 'skipped', message: 'no nodes' }, result('c', 'skipped', 'no nodes')],
    ['one whose turn never came failed', { text: 'c', state: 'skipped' }, result('c', 'failed', 'not run (skipped)')],
  ];
  test.each(cases)('%s', (_sentence, given, want) => expect(resultsOf(report(given), [want.name])).toEqual([want]));

  test('a name that the binary does not know is missing, and counts as failed', () => {
    const results = resultsOf(report({ text: 'a', state: 'passed' }), ['a', 'b']);
    expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'missing']);
    expect(failedNames(results)).toEqual(['b']);
  });

  test('a suite that could not be set up is no result', () =>
    expect(() =>
      resultsOf(report({ text: '', type: 'SynchronizedBeforeSuite', state: 'failed', message: 'no server' }), ['a']),
    ).toThrow('no server'));

  test('a report without any test is none', () => expect(() => resultsOf([], ['a'])).toThrow('ended before it began'));

  test('a suite whose set-up passed is one', () =>
    expect(
      resultsOf(report({ text: '', type: 'SynchronizedBeforeSuite', state: 'passed' }, { text: 'a', state: 'passed' }), ['a']),
    ).toHaveLength(1));
});

describe('scores', () => {
  const results = [result('a', 'passed'), result('b', 'failed'), result('c', 'skipped'), result('d', 'missing')];
  test('are counted', () => expect(formatScore(scoreOf(results))).toBe('1 passed, 2 failed, 1 skipped'));
  test('a later run counts instead of the first', () =>
    expect(formatScore(scoreOf(replaced(results, [result('b', 'passed')])))).toBe('2 passed, 1 failed, 1 skipped'));
});
