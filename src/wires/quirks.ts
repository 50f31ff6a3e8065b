import type { ModelFacts, ValueOf } from '../models/facts.ts'
import type { QUIRKS } from './quirk-table.ts'

type Table = typeof QUIRKS

/** The value of a row: as that of a fact, or a flag or one word beside it; a text; names by names. */
type QuirkValue<Row> = Row extends { readonly type: 'flag'; readonly or: infer Word }
  ? boolean | Word
  : Row extends { readonly type: 'text' }
    ? string
    : Row extends { readonly type: 'names' }
      ? Readonly<Record<string, string>>
      : Row extends { readonly type: 'facts' }
        ? Readonly<Record<string, ModelFacts>>
        : Row extends { readonly type: 'paths' | 'words' }
          ? readonly string[]
          : ValueOf<Row>

export type Quirks = { readonly [Name in keyof Table]?: QuirkValue<Table[Name]> } & {
  /** The text of the answer is JSON. Set for single requests; not a property of the vendor and not configurable. */
  readonly jsonAnswer?: boolean
  /** The client receives the answer whole, so that final values may replace the pieces of a stream. */
  readonly wholeAnswer?: boolean
  /** The client receives the upstream's own events, and reads every answer in them if it has requested several. */
  readonly passedAnswer?: boolean
}

type WordOf<Name extends keyof Table> = Table[Name] extends { readonly one: readonly (infer Word)[] }
  ? Word
  : Table[Name] extends { readonly some: readonly (infer Word)[] }
    ? Word
    : never

/** Headers of clients that reach an upstream of the client's own wire (`clientHeaders` of a wire). */
export type ClientHeader = WordOf<'clientHeaders'>
/** A feature of requests that changes the tools or the settings from a place in the input on. */
export type InputChange = WordOf<'changesInInput'>
export type RefusedSchemaFeature = WordOf<'refusesInSchemas'>
export type EffortStyle = WordOf<'effort'>
export type ReasoningHistory = WordOf<'reasoningHistory'>
export type LateSystemStyle = WordOf<'lateSystem'>
export type FileStyle = WordOf<'files'>
export type CallIdStyle = WordOf<'callIds'>
export type SearchStyle = WordOf<'webSearch'>

/** The changes by the types of their items. */
export const INPUT_CHANGES: ReadonlyMap<unknown, InputChange> = new Map<unknown, InputChange>([
  ['additional_tools', 'additional_tools'],
  ['configuration_update', 'configuration_update'],
  ['tool_search_call', 'tool_search'],
  ['tool_search_output', 'tool_search'],
])
