import { getOrCreate } from '../../collections/get-or-create.ts'
import type { ModelFacts } from '../../models/facts.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { createSourceMap, type PathMap } from '../../protocol/source-map.ts'
import type { Steps } from '../../text/steps.ts'
import type { Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { cacheBreakpoints } from './breakpoints.ts'
import { callResults, objectCalls, outputPlaces, ownIds, sharedIds } from './calls.ts'
import { claudeTools } from './claude-tools.ts'
import { emptyPrompts, lastMessage, lateSystem, oneSystem } from './conversation.ts'
import { formatNames, jsonWhileReasoning, jsonWithTools, jsonWord, onlySchemas, unboundFormat } from './formats.ts'
import { fileNames, files, imageAddresses, images, imageTypes, mediaData } from './media.ts'
import { effort, leastEffort, reasoningHistory, reasoningOfTurns } from './reasoning.ts'
import type { Facts, Fitted, RequestRule } from './rule.ts'
import { closedSchemas, oneStrictness, strictFunctions, strictSchemas, toolSchemas, validSchemas } from './schemas.ts'
import {
  greedySampling,
  identifiers,
  logProbabilities,
  opaqueUsers,
  outputLimit,
  samplingSettings,
  samplingTogether,
  stops,
  temperatures,
  tier,
  verbosity,
} from './settings.ts'
import { subjectsOf } from './subjects.ts'
import {
  chatTools,
  distinctTools,
  forcedTools,
  parallelCalls,
  serverTools,
  toolCount,
  toolDescriptions,
} from './tools.ts'

/** All rules, in the order in which a request is mended: sampling depends on the effort, the system message on the word. */
const REQUEST_RULES: readonly RequestRule[] = [
  sharedIds,
  ownIds,
  callResults,
  outputPlaces,
  objectCalls,
  mediaData,
  images,
  imageTypes,
  imageAddresses,
  files,
  fileNames,
  lateSystem,
  emptyPrompts,
  lastMessage,
  claudeTools,
  serverTools,
  distinctTools,
  toolCount,
  toolDescriptions,
  effort,
  leastEffort,
  reasoningHistory,
  forcedTools,
  chatTools,
  parallelCalls,
  reasoningOfTurns,
  jsonWithTools,
  jsonWhileReasoning,
  unboundFormat,
  onlySchemas,
  jsonWord,
  formatNames,
  oneSystem,
  samplingSettings,
  samplingTogether,
  greedySampling,
  temperatures,
  logProbabilities,
  verbosity,
  stops,
  outputLimit,
  tier,
  identifiers,
  cacheBreakpoints,
  opaqueUsers,
  validSchemas,
  toolSchemas,
  strictFunctions,
  strictSchemas,
  oneStrictness,
  closedSchemas,
]

/** Memory of the process: the rules of an upstream are the same for each of its requests. */
const OF_UPSTREAMS = new WeakMap<Quirks, WeakMap<ModelFacts, Map<Wire, readonly RequestRule[]>>>()

const hasRule =
  (facts: Facts) =>
  ({ when }: RequestRule): boolean =>
    when === undefined || when(facts)

/** The names that no rule of a program can have. */
export const RULE_NAMES: readonly string[] = REQUEST_RULES.map(({ name }) => name)

/** Returns the rules of an upstream. `own`: those of the program, which follow. */
export function rulesFor(facts: Facts, own: readonly RequestRule[] = []): readonly RequestRule[] {
  const { model, quirks, wire } = facts
  const ofFacts = getOrCreate(OF_UPSTREAMS, quirks, () => new WeakMap())
  const ofWires = getOrCreate(ofFacts, model, () => new Map())
  const known = getOrCreate(ofWires, wire, () => REQUEST_RULES.filter(hasRule(facts)))
  return own.length === 0 ? known : [...known, ...own.filter(hasRule(facts))]
}

/** The work of a rule in one request. */
interface RuleChange {
  /** The name of the rule. */
  readonly rule: string
  /** The members of the request that it changed: settings by their paths, such as `reasoning.effort`. */
  readonly members: readonly string[]
  /** With paths of the request before all rules. */
  readonly losses: readonly Loss[]
}

/** A request that obeys all rules of its upstream. */
interface Mended extends Fitted {
  readonly toEarlier: PathMap
  /** Empty: the request breaks no rule. */
  readonly changes: readonly RuleChange[]
}

const samePath: PathMap = (path) => path

/** Mends a request for its upstream, in slices. The same object: it breaks no rule. `rules`: all of the upstream. */
export function* mendRequest(original: Request, facts: Facts, rules = rulesFor(facts)): Steps<Mended> {
  let request = original
  let toEarlier = samePath
  const losses: Loss[] = []
  const changes: RuleChange[] = []
  let subjects = subjectsOf(request)
  for (const { name, subject, mend } of rules) {
    if (subject !== undefined && !subjects[subject]) continue
    const result = mend(request, facts)
    const fitted = 'next' in result ? yield* result : result
    if (fitted.request === request && fitted.losses.length === 0) continue
    const own = toEarlier === samePath ? fitted.losses : createSourceMap(toEarlier).toClientLosses(fitted.losses)
    losses.push(...own)
    if (fitted.request === request) continue
    changes.push({ rule: name, members: changedMembers(request, fitted.request), losses: own })
    request = fitted.request
    subjects = subjectsOf(request)
    if (fitted.toEarlier !== undefined) toEarlier = composed(toEarlier, fitted.toEarlier)
  }
  return { request, losses, toEarlier, changes }
}

function composed(outer: PathMap, inner: PathMap): PathMap {
  if (outer === samePath) return inner
  return (path) => {
    const between = inner(path)
    return between === null ? null : outer(between)
  }
}

/** Settings that are objects: each of their members is a setting of its own. */
const NESTED = ['reasoning', 'text'] as const

const changedNames = (before: JsonRecord, after: JsonRecord): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => (before[name] ?? null) !== (after[name] ?? null),
  )

const asRecord = (value: object | null): JsonRecord => ({ ...value })

function changedMembers(before: Request, after: Request): readonly string[] {
  const inner = NESTED.flatMap((name) =>
    changedNames(asRecord(before[name]), asRecord(after[name])).map((member) => `${name}.${member}`),
  )
  const nested: readonly string[] = NESTED
  return [...changedNames(asRecord(before), asRecord(after)).filter((name) => !nested.includes(name)), ...inner]
}
