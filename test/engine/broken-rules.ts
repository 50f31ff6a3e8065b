import { nameStyle } from '../../src/engine/passes/tool-names.ts'
import type { Facts } from '../../src/engine/rules/rule.ts'
import type { JsonObject, JsonRecord } from '../../src/protocol/json.ts'
import { isObject, toArray } from '../../src/text/json.ts'
import { valueAt } from '../../src/text/json-path.ts'
import { toToolName } from '../../src/validation/namespaces.ts'
import { type SettingName, shapeOf } from '../../src/wires/body-contract.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { toCallId } from '../../src/wires/shared/upstream/call-ids.ts'

/**
 * Reads the body that an upstream receives, and names the rules that it breaks. It restates the rules from the side of
 * the vendor: it reads bodies, where `engine/rules/` changes requests.
 */
type Check = (body: JsonObject, facts: Facts) => readonly string[]

/** The values of a setting, in each place where a body may have it. */
function valuesOf(body: JsonObject, name: SettingName, { wire }: Facts): readonly unknown[] {
  const paths = [shapeOf(wire).settings[name] ?? name].flat()
  return paths.map((path) => valueAt(body, path)).filter((value) => value !== undefined && value !== null)
}

const functionsIn = (body: JsonObject, { wire }: Pick<Facts, 'wire'>) => shapeOf(wire).functions(body)

const has = (body: JsonObject, name: SettingName, facts: Facts): boolean => valuesOf(body, name, facts).length > 0

// ---------------------------------------------------------------- tools and schemas

const names: Check = (body, { wire, quirks }) => {
  const style = nameStyle(quirks, shapeOf(wire))
  const all = functionsIn(body, { wire }).map(({ name }) => String(name))
  const odd = all.filter((name) => style !== null && toToolName(name, style) !== name)
  const repeated = all.filter((name, at) => all.indexOf(name) !== at)
  return [...odd.map((name) => `names of tools: ${name}`), ...repeated.map((name) => `tools of one name: ${name}`)]
}

/** Every schema inside a schema, also in members that a vendor does not know. */
function* schemasIn(value: unknown): Iterable<JsonRecord> {
  if (Array.isArray(value)) for (const one of value) yield* schemasIn(one)
  if (!isObject(value)) return
  yield value
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'properties' || name === '$defs' || name === 'definitions') {
      if (isObject(inner)) for (const one of Object.values(inner)) yield* schemasIn(one)
    } else if (!['enum', 'const', 'default', 'examples'].includes(name)) yield* schemasIn(inner)
  }
}

const isOfType = ({ type }: JsonRecord, name: string): boolean => type === name || toArray(type).includes(name)

const schemas: Check = (body, { wire, quirks: { refusesInSchemas: refused = [] } }) =>
  functionsIn(body, { wire }).flatMap(({ parameters }) => {
    if (parameters === null) return []
    const { schema } = parameters
    const inner = [...schemasIn(schema)]
    return [
      ...(refused.includes('rootType') && schema.type !== 'object' ? ['the root of a schema is no object'] : []),
      ...(refused.includes('rootUnion') && (schema.anyOf ?? schema.oneOf ?? schema.allOf) !== undefined
        ? ['a union at the root of a schema']
        : []),
      ...(refused.includes('noProperties') &&
      inner.some((one) => isOfType(one, 'object') && one.properties === undefined)
        ? ['an object without properties']
        : []),
      ...(refused.includes('noItems') && inner.some((one) => isOfType(one, 'array') && one.items === undefined)
        ? ['an array without items']
        : []),
    ]
  })

const strict: Check = (body, { wire, quirks: { strictSchemas } }) =>
  strictSchemas === undefined
    ? []
    : functionsIn(body, { wire }).flatMap(({ parameters }) => {
        if (parameters === null || !parameters.isStrict) return []
        const open = [...schemasIn(parameters.schema)].filter(
          ({ properties, additionalProperties, required }) =>
            isObject(properties) &&
            (additionalProperties !== false ||
              (strictSchemas === 'complete' &&
                !Object.keys(properties).every((name) => toArray(required).includes(name)))),
        )
        return open.length > 0 ? ['an open strict schema'] : []
      })

// ---------------------------------------------------------------- the conversation

const calls: Check = (body, { wire, quirks: { callIds } }) => {
  const all = shapeOf(wire).calls?.(body) ?? []
  const ids = (kind: 'call' | 'result') => new Set(all.filter((one) => one.kind === kind).map(({ id }) => id))
  const [called, answered] = [ids('call'), ids('result')]
  return [
    ...[...called].filter((id) => !answered.has(id)).map((id) => `a call without a result: ${id}`),
    ...[...answered].filter((id) => !called.has(id)).map((id) => `a result without a call: ${id}`),
    ...[...called].filter((id) => toCallId(id, callIds) !== id).map((id) => `the id of a call: ${id}`),
  ]
}

const lastMessage: Check = (body, { model: { lastRole } }) => {
  const last = toArray(body.messages ?? body.input).at(-1)
  return lastRole === 'user' && isObject(last) && last.role === 'assistant' ? ['the last message is an answer'] : []
}

// ---------------------------------------------------------------- settings

const sampling: Check = (body, facts) => {
  const { sampling: taken, penalties, logprobs, family } = facts.model
  const settings: readonly SettingName[] = [
    ...(taken === 'none' ? (['temperature', 'top_p'] as const) : []),
    ...(penalties === false ? (['presence_penalty', 'frequency_penalty'] as const) : []),
    ...(logprobs === false ? (['top_logprobs'] as const) : []),
  ]
  return settings.filter((name) => has(body, name, facts)).map((name) => `${family}: ${name}`)
}

const numberAt = (body: JsonObject, path: string): number | null => {
  const value = valueAt(body, path)
  return typeof value === 'number' ? value : null
}

/** Whether a body of the Messages API requests reasoning. */
const isReasoned = (body: JsonObject): boolean => {
  const type = valueAt(body, 'thinking.type')
  return type === undefined ? valueAt(body, 'output_config.effort') !== undefined : type !== 'disabled'
}

const together: Check = (body, facts) => {
  const { sampling: taken, samplingWhileReasoning } = facts.model
  const [temperature] = valuesOf(body, 'temperature', facts)
  const [top] = valuesOf(body, 'top_p', facts)
  const isBoth = taken === 'one' && temperature !== undefined && top !== undefined
  const both = isBoth ? ['temperature beside top_p'] : []
  if (facts.wire.name !== 'anthropic-messages') return both
  const topK = numberAt(body, 'top_k') !== null
  const isBound = samplingWhileReasoning === 'default' && isReasoned(body)
  return [
    ...both,
    ...(taken === 'none' && topK ? ['top_k'] : []),
    ...(isBound && (topK || (temperature ?? 1) !== 1 || (typeof top === 'number' && top < 0.95))
      ? ['sampling beside reasoning']
      : []),
  ]
}

const GEMINI_BUDGET = 'generationConfig.thinkingConfig.thinkingBudget'

const budgets: Check = (body, { wire, model }) => {
  const { reasons, reasoningBy, leastBudget = 0, mostBudget = Number.POSITIVE_INFINITY } = model
  const own = numberAt(body, 'thinking.budget_tokens')
  const most = Math.min(numberAt(body, 'max_tokens') ?? 0, model.mostOutput ?? Number.POSITIVE_INFINITY)
  const isOdd = wire.name === 'anthropic-messages' && own !== null && (own < 1024 || own >= most)
  const google = reasoningBy === 'budget' ? numberAt(body, GEMINI_BUDGET) : null
  const isOff = google === 0 && reasons !== 'always'
  const isOutside = google !== null && google !== -1 && !isOff && (google < leastBudget || google > mostBudget)
  return isOdd || isOutside ? [`the budget ${own ?? google}`] : []
}

const bound: Check = (body, { wire, model }) =>
  model.strictTools === false && functionsIn(body, { wire }).some(({ parameters }) => parameters?.isStrict === true)
    ? ['a strict function']
    : []

const limits: Check = (body, facts) => {
  const { mostStops = Number.POSITIVE_INFINITY, blankStops, leastOutput = 0, mostOutput } = facts.model
  const stops = valuesOf(body, 'stop', facts).flat()
  const most = mostOutput ?? Number.POSITIVE_INFINITY
  return [
    ...(stops.length > mostStops ? ['too many stop words'] : []),
    ...(blankStops === false && stops.some((stop) => String(stop).trim() === '') ? ['a blank stop word'] : []),
    ...valuesOf(body, 'max_output_tokens', facts)
      .filter((limit) => typeof limit === 'number' && (limit < leastOutput || limit > most))
      .map((limit) => `the output limit ${limit}`),
  ]
}

const verbosity: Check = (body, facts) =>
  valuesOf(body, 'text.verbosity', facts)
    .filter((value) => facts.model.verbosities?.some((one) => one === value) === false)
    .map((value) => `the verbosity ${value}`)

/** How each protocol turns reasoning off, and the steps that a body has. */
const EFFORTS: Partial<Record<WireName, (body: JsonObject) => { readonly off: boolean; readonly step: unknown }>> = {
  'openai-responses': (body) => ({
    off: valueAt(body, 'reasoning.effort') === 'none',
    step: valueAt(body, 'reasoning.effort'),
  }),
  'anthropic-messages': (body) => ({
    off: valueAt(body, 'thinking.type') === 'disabled',
    step: valueAt(body, 'output_config.effort'),
  }),
  'gemini-generate': (body) => ({
    off: valueAt(body, 'generationConfig.thinkingConfig.thinkingBudget') === 0,
    step: String(valueAt(body, 'generationConfig.thinkingConfig.thinkingLevel') ?? '').toLowerCase() || undefined,
  }),
}

const efforts: Check = (body, { wire, model: { reasons, reasoningBy, efforts: steps = [], budgets } }) => {
  const { off = false, step = undefined } = EFFORTS[wire.name as WireName]?.(body) ?? {}
  const isStep = step !== undefined && step !== 'none' && steps.length > 0 && reasoningBy === 'effort'
  const type = wire.name === 'anthropic-messages' ? valueAt(body, 'thinking.type') : undefined
  return [
    ...(off && reasons === 'always' && reasoningBy === 'effort' ? ['reasoning is turned off'] : []),
    ...(isStep && !steps.some((one) => one === step) ? [`the effort ${step}`] : []),
    ...(type === 'enabled' && budgets === false ? ['a budget'] : []),
    ...(type === 'adaptive' && reasoningBy === 'budget' ? ['adaptive thinking'] : []),
  ]
}

const CHECKS: readonly Check[] = [
  names,
  schemas,
  strict,
  calls,
  lastMessage,
  sampling,
  together,
  bound,
  budgets,
  limits,
  verbosity,
  efforts,
]

/** Returns the rules that a body breaks. */
export const brokenRules = (body: JsonObject, facts: Facts): readonly string[] =>
  CHECKS.flatMap((check) => check(body, facts))
