/** What the main thread and a worker thread of simulated members tell each other. Plain values only: they are cloned. */
import type { KeyPair } from '../tls.ts';
import type { MemberSpec } from './catalogue.ts';

export type ToWorker =
  | { type: 'start'; name: string; spec: MemberSpec; dir: string; tls: KeyPair; caCert: string; token: string; port: number }
  | { type: 'stop'; name: string }
  | { type: 'close' };

export type FromWorker =
  | { type: 'started'; name: string; url: string; port: number; kubeSystemUid: string }
  | { type: 'failed'; name: string; message: string }
  | { type: 'stopped'; name: string }
  | { type: 'closed' };
