import type { JsonObject } from '../../protocol/json.ts'
import { dropped, type Loss } from '../../protocol/loss.ts'
import type { PathMap } from '../../protocol/source-map.ts'
import { isObject } from '../../text/json.ts'
import { withoutMembers } from '../../wires/shared/upstream/refusals.ts'

/** A body with the losses of its encoding. */
interface LossyBody {
  readonly body: JsonObject
  readonly losses: readonly Loss[]
}

/** Names of settings in the bodies of upstreams → their paths in a Responses request. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['topP', 'top_p'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['effort', 'reasoning.effort'],
  ['reasoning_effort', 'reasoning.effort'],
  ['thinkingConfig', 'reasoning.effort'],
  ['thinkingLevel', 'reasoning.effort'],
  ['thinking', 'reasoning.effort'],
  ['response_format', 'text.format'],
  ['verbosity', 'text.verbosity'],
  ['serviceTier', 'service_tier'],
  ['user_id', 'user'],
])

/** The paths of the members of a body that match one of these. */
function pathsIn(value: unknown, [step = '', ...rest]: readonly string[], before: string): readonly string[] {
  if (Array.isArray(value))
    return step === '*' ? value.flatMap((entry, at) => pathsIn(entry, rest, `${before}[${at}]`)) : []
  if (!isObject(value) || !Object.hasOwn(value, step)) return []
  const own = before === '' ? step : `${before}.${step}`
  return rest.length === 0 ? [own] : pathsIn(value[step], rest, own)
}

/**
 * Leaves out the members that an upstream refuses. `toClientPath`: translates the paths of the hub to those of the
 * client; null if the body is the client's own.
 */
export function withoutRefused(
  { body, losses }: LossyBody,
  paths: readonly string[],
  toClientPath: PathMap | null,
): LossyBody {
  const found = paths.flatMap((path) => pathsIn(body, path.split('.'), ''))
  if (found.length === 0) return { body, losses }
  const lost = found.map((path): Loss => {
    const name = path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf(']')) + 1)
    const own = path.includes('[') ? path : (OWN_NAMES.get(name) ?? name)
    return dropped(toClientPath === null ? path : (toClientPath(own) ?? own), 'this model refuses it')
  })
  return { body: withoutMembers(body, paths), losses: [...losses, ...lost] }
}
