import type { JsonObject } from '../../protocol/json.ts'
import type { SourceMap } from '../../protocol/source-map.ts'
import { valueAt } from '../../text/json-path.ts'
import { type BodyShape, SETTINGS } from '../../wires/body-contract.ts'
import type { OriginPair } from '../origins.ts'

/** The pairs of settings that both bodies have. */
export function settingPairs(
  { settings }: BodyShape,
  body: JsonObject,
  sent: JsonObject,
  { toClientPath }: Pick<SourceMap, 'toClientPath'>,
): readonly OriginPair[] {
  const pairs = SETTINGS.flatMap((name): readonly OriginPair[] => {
    const paths = [settings[name] ?? name].flat()
    const found = paths.find((path) => valueAt(body, path) !== undefined)
    const own = toClientPath(name)
    const isSetting = own !== null && own !== toClientPath('input') && valueAt(sent, own) !== undefined
    return found === undefined || !isSetting ? [] : [[found, own]]
  })
  // A schema alone is the format of some clients.
  return [...new Map(pairs.map((pair) => [pair[1], pair])).values()]
}
