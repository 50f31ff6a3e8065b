import type { Json, JsonObject } from '../../../protocol/json.ts'
import { joinLosses, type Loss } from '../../../protocol/loss.ts'
import { valueAt } from '../../../text/json-path.ts'
import type { Steps } from '../../../text/steps.ts'
import type { EditBody, EditContext, EditedBody } from '../../passthrough-contract.ts'
import { withMember, withValue } from './members.ts'

export const lossless =
  (change: (body: JsonObject, context: EditContext) => JsonObject): EditBody =>
  (body, context) => ({ body: change(body, context), losses: [] })

/** An edit that reads the encoded settings, of the bodies that need it; others have no steps. */
export const settingsEdit =
  (
    isNeeded: (body: JsonObject, context: EditContext) => boolean,
    edit: (body: JsonObject, context: EditContext) => Steps<EditedBody>,
  ): EditBody =>
  (body, context) =>
    isNeeded(body, context) ? edit(body, context) : { body, losses: [] }

export const hasSome = (body: JsonObject, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(body, name))

/** The upstream's own name of the model. */
export const modelName = lossless((body, context) => withMember(body, 'model', context.model))

/** Members that the gateway reads itself: an upstream may refuse them. */
export const GATEWAY_MEMBERS = ['session_id', 'trace', 'plugins'] as const

const hasGatewayMembers = (body: JsonObject): boolean => hasSome(body, GATEWAY_MEMBERS)

/** Of the plugins, the gateway has the web search only. */
const isOfPlugins = ({ path }: Loss): boolean => /^plugins\b/.test(path)

export const gatewayMembers = settingsEdit(hasGatewayMembers, function* (body, { settings, unread }) {
  const losses = Object.hasOwn(body, 'plugins') ? (yield* settings()).losses : []
  return {
    body: GATEWAY_MEMBERS.reduce<JsonObject>((edited, name) => withMember(edited, name, undefined), body),
    losses: joinLosses(unread.filter(isOfPlugins), losses.filter(isOfPlugins)),
  }
})

/** Whether the hub's encoding of a setting has no loss, decided by the setting alone. */
export type TakesSetting = (path: string, value: unknown, context: EditContext) => boolean

/**
 * Drops or lowers the settings that this vendor or model refuses, as the hub does. A setting at one of these paths that
 * has no loss stays as the client sent it. `takes`: left out, the hub's encoding decides about each.
 */
export const refusedSettings = (paths: readonly string[], takes: TakesSetting = () => false): EditBody => {
  const members = [...new Set(paths.map((path) => path.split('.', 1).join()))]
  const isNeeded = (body: JsonObject, context: EditContext): boolean =>
    hasSome(body, members) &&
    paths.some((path) => {
      const value = valueAt(body, path)
      return value !== undefined && !takes(path, value, context)
    })
  return settingsEdit(isNeeded, function* (body, { settings }) {
    const encoded = yield* settings()
    const found = encoded.losses.filter(({ path }) => paths.includes(path) && valueAt(body, path) !== undefined)
    const edited = found.reduce<JsonObject>((now, { path, action }) => {
      const value = action === 'mapped' ? (valueAt(encoded.body, path) as Json | undefined) : undefined
      return withValue(now, path.split('.'), value)
    }, body)
    return { body: edited, losses: found }
  })
}
