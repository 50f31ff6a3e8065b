import type { JsonObject } from '../../protocol/json.ts'

/** What an answer must know of its request. */
export interface Settings {
  /** The tokens of a stream are to be told. */
  readonly usage: boolean
  /** The request had `functions`: its client knows no `tool_calls`. */
  readonly legacy: boolean
  /** Thoughts are not to be read. */
  readonly hidden: boolean
}

export const toSettings = ({ usage, legacy, hidden }: JsonObject): Settings => ({
  usage: usage === true,
  legacy: legacy === true,
  hidden: hidden === true,
})
