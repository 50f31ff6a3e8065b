import type { StreamWire, Wire } from './contract.ts'

/**
 * A wire from its decoding part and the rest. Bundlers drop a call that is marked as pure, and with it the code for
 * requests and clients, from programs that import the decoding part alone.
 */
export const createWire = (stream: StreamWire, rest: Omit<Wire, keyof StreamWire>): Wire => ({ ...stream, ...rest })
