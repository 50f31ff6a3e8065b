import type { Json, JsonObject } from '../../../protocol/json.ts'
import { joinLosses, type Loss } from '../../../protocol/loss.ts'
import { valueAt } from '../../../text/json-path.ts'
import type { EditBody, EditContext } from '../../passthrough-contract.ts'
import { withMember, withValue } from './members.ts'

export const lossless =
  (change: (body: JsonObject, context: EditContext) => JsonObject): EditBody =>
  (body, context) => ({ body: change(body, context), losses: [] })

/** The upstream's own name of the model. */
export const modelName = lossless((body, context) => withMember(body, 'model', context.model))

/** Members that the gateway reads itself: an upstream may refuse them. */
export const GATEWAY_MEMBERS = ['session_id', 'trace', 'plugins'] as const

/** Of the plugins, the gateway has the web search only. */
const isOfPlugins = ({ path }: Loss): boolean => /^plugins\b/.test(path)

export const gatewayMembers: EditBody = function* (body, { settings, unread }) {
  const losses = Object.hasOwn(body, 'plugins') ? (yield* settings()).losses : []
  return {
    body: GATEWAY_MEMBERS.reduce<JsonObject>((edited, name) => withMember(edited, name, undefined), body),
    losses: joinLosses(unread.filter(isOfPlugins), losses.filter(isOfPlugins)),
  }
}

/**
 * Drops or lowers the settings that this vendor or model refuses, as the hub does. A setting at one of these paths that
 * has no loss stays as the client sent it.
 */
export const refusedSettings = (paths: readonly string[]): EditBody => {
  const members = [...new Set(paths.map((path) => path.split('.', 1).join()))]
  return function* (body, { settings }) {
    if (members.every((name) => !Object.hasOwn(body, name))) return { body, losses: [] }
    if (paths.every((path) => valueAt(body, path) === undefined)) return { body, losses: [] }
    const encoded = yield* settings()
    const found = encoded.losses.filter(({ path }) => paths.includes(path) && valueAt(body, path) !== undefined)
    const edited = found.reduce<JsonObject>((now, { path, action }) => {
      const value = action === 'mapped' ? (valueAt(encoded.body, path) as Json | undefined) : undefined
      return withValue(now, path.split('.'), value)
    }, body)
    return { body: edited, losses: found }
  }
}
