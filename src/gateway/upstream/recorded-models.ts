import type { Result } from '../../protocol/result.ts'
import type { VendorAccount } from '../config/vendors.ts'

/** The recordings that the vendor `replay` plays. */
export interface Recordings {
  /** Whether a program has named their folder. */
  readonly isChosen: boolean
  /** `<name>` of the wire `openai-chat`, `<wire>/<name>` of the others, and the folders of exchanges. */
  readonly names: readonly string[]
  /** `name`: one of `names`. */
  find(name: string): Promise<Result<VendorAccount>>
}
