import type { JsonObject, JsonRecord } from '../protocol/json.ts'
import type { ToolNameStyle } from '../validation/namespaces.ts'

/** A JSON Schema in an upstream's body. */
export interface SentSchema {
  readonly path: string
  readonly schema: JsonRecord
  /** The upstream is to follow the schema exactly. */
  readonly isStrict: boolean
}

export interface SentFunction {
  readonly namePath: string
  readonly name: unknown
  readonly parameters: SentSchema | null
}

/** A call of a tool, or its result, in the conversation of a body. */
export interface SentCall {
  readonly kind: 'call' | 'result'
  readonly path: string
  readonly id: string
}

/** A rule of the upstream that a value of a body breaks. */
export interface BrokenRule {
  readonly path: string
  readonly message: string
}

/** The settings of a request of the Responses API that bodies have as well. */
export const SETTINGS = [
  'model',
  'instructions',
  'max_output_tokens',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'stop',
  'user',
  'safety_identifier',
  'metadata',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning.effort',
  'reasoning.summary',
  'text.format',
  'text.format.name',
  'text.format.schema',
  'text.verbosity',
  'top_logprobs',
  'include',
  'service_tier',
  'stream',
] as const

export type SettingName = (typeof SETTINGS)[number]

/** The places and the rules of the bodies of a wire, for programs that explain them (`engine/explain/`). */
export interface BodyShape {
  /** The members that are the prompt, in the order in which the models read them. */
  readonly prompt: readonly (readonly string[])[]
  /** The paths of settings that have others than in the Responses API: the first one that exists. */
  readonly settings: Readonly<Partial<Record<SettingName, string | readonly string[]>>>
  /** The functions that a body offers to its model. */
  functions(body: JsonObject): readonly SentFunction[]
  /** The schema that the answer shall follow; null if there is none. Left out: no body has one. */
  readonly answerSchema?: (body: JsonObject) => SentSchema | null
  /** The calls and results of a body in their order. Left out: calls without results are accepted. */
  readonly calls?: (body: JsonObject) => readonly SentCall[]
  /** The names of functions that are accepted, unless the quirk `toolNames` has others. Left out: any. */
  readonly names?: ToolNameStyle
  /** Ids of calls have letters, digits, _ and - only. */
  readonly plainIds?: true
  /**
   * `unique`: no two calls of a conversation have one id. `optional`: calls and results are paired by their order. Left
   * out: an id may return when its call has a result.
   */
  readonly callIds?: 'unique' | 'optional'
  /** A conversation is a list of items, in which results stay where the client has them. Left out: the wire places them. */
  readonly keepsOrder?: true
  /** A schema of parameters is one of an object. */
  readonly objectSchemas?: true
  /** A strict schema describes every member of an object. */
  readonly closedSchemas?: true
  /** Keywords that are refused in a strict schema. */
  readonly strictBounds?: readonly string[]
  /** The rules for settings that a body breaks. */
  readonly brokenRules?: (body: JsonObject) => readonly BrokenRule[]
}

const NO_SHAPE: BodyShape = { prompt: [], settings: {}, functions: () => [] }

/** The shape of the bodies of a wire. A wire of a program may describe none. */
export const shapeOf = ({ body = NO_SHAPE }: { readonly body?: BodyShape }): BodyShape => body
