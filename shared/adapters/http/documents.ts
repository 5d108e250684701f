/** Reads documents over https with Node's own client: it follows no redirect, and believes no authority but the given ones. */
import { request } from 'node:https';
import type { DocumentOutcome, FetchDocument } from '../../ports/documents.ts';

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 1024 * 1024;

/** `ca`: PEM of the authorities to believe; absent: those of the system. */
export function createDocumentFetcher({ ca }: { ca?: string } = {}): FetchDocument {
  return (url) => {
    if (!url.startsWith('https://')) return Promise.resolve({ type: 'failed', message: `${url} is no https address` });
    return new Promise((resolve) => {
      const fail = (message: string) => resolve({ type: 'failed', message: `${url}: ${message}` });
      try {
        const options = { timeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS), ...(ca === undefined ? {} : { ca }) };
        const sent = request(url, options, (response) => {
          if (response.statusCode !== 200) {
            response.resume();
            fail(`answered ${response.statusCode}`);
            return;
          }
          collect(response).then(resolve, (error: Error) => fail(error.message));
        });
        sent.on('error', (error) => fail(error.message)).end();
      } catch (error) {
        fail(error instanceof Error ? error.message : String(error));
      }
    });
  };
}

async function collect(response: AsyncIterable<Buffer>): Promise<DocumentOutcome> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > BYTES_MAX) throw new Error(`more than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return { type: 'ok', text: Buffer.concat(chunks).toString('utf8') };
}
