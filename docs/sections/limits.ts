import { ANSWER_BOUNDS, MAX_LENGTHS, RANGES } from '../../src/protocol/limits.ts'
import { code, table } from './markdown.ts'

const group = (value: number): string => value.toLocaleString('en-US')

const REQUEST = {
  metadata_pairs: 'Pairs of `metadata`',
  metadata_key: 'Characters in a `metadata` key',
  metadata_value: 'Characters in a `metadata` value',
  user: 'Characters of `user`',
  safety_identifier: 'Characters of `safety_identifier`',
  prompt_cache_key: 'Characters of `prompt_cache_key`',
  nesting: 'Levels of lists and objects',
  members: 'Members of one object',
  model: 'Characters in a model’s name, provider included',
  tool_name: 'Characters in the name of a tool, namespace or schema',
  namespace_description: 'Characters in a namespace’s description',
  id: 'Characters in the id of an item or call',
  phase: 'Characters in a message’s phase',
  path: 'Characters in a request’s path, query included (414)',
  searches: 'Web searches in `tools`, and in `plugins`',
  domains: 'Domains in one list of a search',
  allowed_tools: 'Entries of `allowed_tools`',
  error: 'Characters of a request that an error repeats',
  losses: 'Losses of one request that are reported one by one',
} as const satisfies Record<keyof typeof MAX_LENGTHS, string>

export const requestLimits = (): string =>
  table(
    ['bound', 'at most'],
    (Object.keys(REQUEST) as (keyof typeof MAX_LENGTHS)[]).map((name) => [REQUEST[name], group(MAX_LENGTHS[name])]),
  )

const least = (value: number): string => (value < 0 ? `−${-value}` : String(value))

export const ranges = (): string =>
  table(
    ['field', 'from', 'to'],
    Object.entries<readonly [number, number]>(RANGES).map(([name, [from, to]]) => [
      code(name),
      least(from),
      to === Number.MAX_SAFE_INTEGER ? 'any' : String(to),
    ]),
  )

const ANSWER = {
  cited_text: 'Characters of a response that a citation repeats for a client; a longer quotation is cut, or left out',
  citations: 'Citations of one text; more are a recorded loss',
  unreadable_frames: 'Frames of one stream that are not JSON objects; one more fails the response',
} as const satisfies Record<keyof typeof ANSWER_BOUNDS, string>

export const answerLimits = (): string =>
  table(
    ['bound', 'at most'],
    (Object.keys(ANSWER) as (keyof typeof ANSWER_BOUNDS)[]).map((name) => [ANSWER[name], group(ANSWER_BOUNDS[name])]),
  )
