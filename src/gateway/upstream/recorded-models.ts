import type { Result } from '../../protocol/result.ts'
import type { VendorAccount } from '../config/vendors.ts'

/** The recordings that the vendor `replay` plays. */
export interface Recordings {
  /** Their shortest names. */
  readonly names: readonly string[]
  /** `name`: `<name>`, `<wire>/<name>`, or the folder of an exchange. If several wires have the name, the first wire plays it. */
  find(name: string): Promise<Result<VendorAccount>>
}
