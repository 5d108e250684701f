/** Reading small documents from addresses that an operator has named: an OpenID provider's keys. */

export type DocumentOutcome = { type: 'ok'; text: string } | { type: 'failed'; message: string };

/** GET of an https address: no redirects, a limit of time and size. Never rejects. */
export type FetchDocument = (url: string) => Promise<DocumentOutcome>;
