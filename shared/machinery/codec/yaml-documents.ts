/** From YAML text to syntax trees, with the limits checked on the way: before anything recurses over what a client sent. */
import { Composer, CST, type Document, Lexer, Parser } from 'yaml';
import { YAML_ANCHORS_MAX, YAML_NESTING_MAX } from '../limits.ts';

/** With `failsafe` every scalar stays text: what a plain word means is decided by `yaml-words.ts`. */
const OPTIONS = { schema: 'failsafe', uniqueKeys: false, logLevel: 'error', prettyErrors: false } as const;

/** Documents of a stream, one at a time; whoever stops early has not paid for the rest. Throws SyntaxError beyond the limits. */
export function* composeDocuments(text: string): Generator<Document.Parsed> {
  yield* new Composer(OPTIONS).compose(tokens(text));
}

/** The refusal of a document that nests too deeply. */
export function tooDeep(): SyntaxError {
  return new SyntaxError(`yaml: exceeded max depth of ${YAML_NESTING_MAX}`);
}

function* tokens(text: string): Generator<CST.Token> {
  const parser = new Parser();
  let anchors = 0;
  let previous = '';
  for (const lexeme of new Lexer().lex(text)) {
    // The lexer puts a mark before the text of a scalar: any other lexeme that starts with & is an anchor.
    if (lexeme.startsWith('&') && previous !== CST.SCALAR) anchors += 1;
    if (anchors > YAML_ANCHORS_MAX) throw new SyntaxError(`yaml: more than ${YAML_ANCHORS_MAX} anchors`);
    previous = lexeme;
    yield* parser.next(lexeme);
    if (parser.stack.length > YAML_NESTING_MAX) throw tooDeep();
  }
  yield* parser.end();
}
