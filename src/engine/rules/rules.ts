import { getOrCreate } from '../../collections/get-or-create.ts'
import type { ModelFacts } from '../../models/facts.ts'
import type { Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { cacheBreakpoints } from './breakpoints.ts'
import { callResults, objectCalls, outputPlaces, ownIds, sharedIds } from './calls.ts'
import { citations } from './citations.ts'
import { claudeTools } from './claude-tools.ts'
import { emptyPrompts, lastMessage, lateSystem, oneSystem } from './conversation.ts'
import { formatNames, jsonWhileReasoning, jsonWithTools, jsonWord, onlySchemas, unboundFormat } from './formats.ts'
import { fileNames, files, imageAddresses, images, imageTypes, mediaData } from './media.ts'
import { noTools } from './no-tools.ts'
import { effort, leastEffort, reasoningHistory, reasoningOfTurns } from './reasoning.ts'
import type { Facts, RequestRule } from './rule.ts'
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
import { textFiles } from './text-files.ts'
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
  textFiles,
  files,
  fileNames,
  lateSystem,
  noTools,
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
  citations,
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
