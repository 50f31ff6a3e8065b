import type { SortedMap } from '../../../collections/sorted-map.ts'
import type { CallDelta, FinishReason } from '../../../protocol/delta.ts'
import type { Usage } from '../../../protocol/usage.ts'

/** An open call. Calls are emitted whole, so arguments are collected until the call ends. */
export interface OpenCall {
  readonly type: CallDelta['type']
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface EncoderState {
  readonly model: string
  /** Open calls, by key. */
  readonly open: SortedMap<string, OpenCall>
  readonly calls: number
  readonly usage: Usage | null
  readonly finish: FinishReason | null
  /** A call was left out, so the answer is incomplete. */
  readonly broken: boolean
  readonly failed: boolean
}
