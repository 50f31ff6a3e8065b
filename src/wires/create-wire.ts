import type { KnownStreamWire, KnownWire, StreamWire } from './contract.ts'

/**
 * A wire from its decoding part and the rest. Bundlers drop a call that is marked as pure, and with it the code for
 * requests and clients, from programs that import the decoding part alone. Its type shows whether the wire has clients.
 */
export const createWire = <Rest extends Omit<KnownWire, keyof StreamWire>>(
  stream: KnownStreamWire,
  rest: Rest,
): KnownWire & Pick<Rest, Extract<'client', keyof Rest>> => ({ ...stream, ...rest })
