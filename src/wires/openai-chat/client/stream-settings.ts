import type { JsonObject } from '../../../protocol/json.ts'

/** The settings of a request that its answer depends on. */
export interface StreamSettings {
  readonly usage: boolean
  /** The request had `functions`: its client does not read `tool_calls`. */
  readonly legacy: boolean
  /** The answer leaves out reasoning text. */
  readonly hidden: boolean
}

export const toStreamSettings = ({ usage, legacy, hidden }: JsonObject): StreamSettings => ({
  usage: usage === true,
  legacy: legacy === true,
  hidden: hidden === true,
})
