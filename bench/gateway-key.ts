import { createHash } from 'node:crypto'

/** The entry of a client's key in a configuration. */
export const gatewayKey = (name: string, key: string): { readonly name: string; readonly sha256: string } => ({
  name,
  sha256: createHash('sha256').update(key).digest('hex'),
})
