import { messagesText } from './content.ts'
import type { FilterField, FilterGroup, FilterRule, FilterRules } from './destination.ts'
import { compilePattern } from './pattern.ts'
import type { Trace } from './trace.ts'

/**
 * Only this much of a longer text is searched, because the operator's expressions run in the process that serves
 * answers.
 */
const LONGEST_SEARCHED = 64 * 1024

/** The value of a field in a trace; a list if the field has several names. */
type Value = string | number | null | readonly string[]

const clip = (text: string): string => (text.length > LONGEST_SEARCHED ? text.slice(0, LONGEST_SEARCHED) : text)

/** Returns the name that the upstream reports, and the names that clients send and receive, `<vendor>/<model>`. */
function modelNames({ vendor, requestModel, responseModel }: Trace): readonly string[] {
  const bare = responseModel ?? requestModel
  const full =
    vendor === null ? [] : [requestModel, responseModel].flatMap((name) => (name ? [`${vendor}/${name}`] : []))
  return bare === null ? full : [bare, ...full]
}

const FIELDS: Readonly<Record<FilterField, (trace: Trace) => Value>> = {
  model: modelNames,
  provider: (trace) => trace.vendor,
  session_id: (trace) => trace.sessionId,
  user_id: (trace) => trace.user,
  api_key_name: (trace) => trace.keyName,
  finish_reason: (trace) => trace.finishReason,
  input: ({ content }) => (content === null ? null : clip(messagesText(content.input))),
  output: ({ content }) => (content === null ? null : clip(messagesText(content.output))),
  total_cost: ({ usage }) => usage?.cost ?? null,
  total_tokens: ({ usage }) => usage?.total_tokens ?? null,
  prompt_tokens: ({ usage }) => usage?.input_tokens ?? null,
  completion_tokens: ({ usage }) => usage?.output_tokens ?? null,
}

type Test = (value: string | number, wanted: string | number) => boolean

const byText =
  (test: (value: string, wanted: string) => boolean): Test =>
  (value, wanted) =>
    test(String(value), String(wanted))
const byNumber =
  (test: (value: number, wanted: number) => boolean): Test =>
  (value, wanted) =>
    test(Number(value), Number(wanted))

const equals: Test = (value, wanted) =>
  typeof value === 'number' ? value === Number(wanted) : value === String(wanted)
const contains = byText((value, wanted) => value.includes(wanted))

const TESTS: Readonly<Record<Exclude<FilterRule['operator'], 'exists' | 'not_exists'>, Test>> = {
  equals,
  not_equals: (value, wanted) => !equals(value, wanted),
  contains,
  not_contains: (value, wanted) => !contains(value, wanted),
  regex: byText((value, wanted) => compilePattern(wanted).test(value)),
  starts_with: byText((value, wanted) => value.startsWith(wanted)),
  ends_with: byText((value, wanted) => value.endsWith(wanted)),
  gt: byNumber((value, wanted) => value > wanted),
  lt: byNumber((value, wanted) => value < wanted),
  gte: byNumber((value, wanted) => value >= wanted),
  lte: byNumber((value, wanted) => value <= wanted),
}

/**
 * Whether a trace passes. Every group must pass. A group passes if all or one of its rules hold, depending on its
 * `logic`; a group without rules always passes. If the trace lacks the field of a rule, only negative operators hold.
 */
export const passes = (rules: FilterRules | null, trace: Trace): boolean =>
  rules === null || !rules.enabled || rules.groups.every((group) => passesGroup(group, trace))

function passesGroup({ logic, rules }: FilterGroup, trace: Trace): boolean {
  if (rules.length === 0) return true
  const holds = (rule: FilterRule): boolean => passesRule(rule, trace)
  return logic === 'and' ? rules.every(holds) : rules.some(holds)
}

function passesRule({ field, operator, value: wanted }: FilterRule, trace: Trace): boolean {
  const values = valuesOf(FIELDS[field](trace))
  const exists = values.length > 0
  if (operator === 'exists') return exists
  if (operator === 'not_exists') return !exists
  const isNegative = operator.startsWith('not_')
  if (!exists || wanted === undefined) return isNegative
  const holds = (value: string | number): boolean => TESTS[operator](value, wanted)
  return isNegative ? values.every(holds) : values.some(holds)
}

function valuesOf(value: Value): readonly (string | number)[] {
  if (value === null || value === '') return []
  return typeof value === 'string' || typeof value === 'number' ? [value] : value
}

/** Whether the rules test the input or the output. */
export const readsContent = (rules: FilterRules | null): boolean =>
  rules?.enabled === true &&
  rules.groups.some((group) => group.rules.some(({ field }) => field === 'input' || field === 'output'))
