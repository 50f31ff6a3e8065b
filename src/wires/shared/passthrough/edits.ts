import type { JsonObject } from '../../../protocol/json.ts'
import { joinLosses, type Loss } from '../../../protocol/loss.ts'
import { isObject } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import type { EditBody, EditContext, EditedBody } from '../../passthrough-contract.ts'
import { withMember } from './members.ts'

export const lossless =
  (change: (body: JsonObject, context: EditContext) => JsonObject): EditBody =>
  (body, context) => ({ body: change(body, context), losses: NO_LOSSES })

const NO_LOSSES: readonly Loss[] = []

/** The result of an edit that changes nothing. */
export const unchanged = (body: JsonObject): EditedBody => ({ body, losses: NO_LOSSES })

/** An edit that reads the encoded settings, of the bodies that need it; others have no steps. */
export const settingsEdit =
  (
    isNeeded: (body: JsonObject, context: EditContext) => boolean,
    edit: (body: JsonObject, context: EditContext) => Steps<EditedBody>,
  ): EditBody =>
  (body, context) =>
    isNeeded(body, context) ? edit(body, context) : unchanged(body)

export const hasSome = (body: JsonObject, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(body, name))

const FREE: ReadonlySet<unknown> = new Set([undefined, null, 'auto', 'none'])

/**
 * Without a tool, these members have no meaning, and OpenAI, Anthropic and others refuse them. A forced call without
 * tools is a mistake of the client, which its vendor explains.
 */
export const toolSettings = (names: readonly string[]): EditBody =>
  lossless((body) => {
    const { tools, tool_choice: choice } = body
    if (tools !== undefined && tools !== null && (!Array.isArray(tools) || tools.length > 0)) return body
    if (!FREE.has(isObject(choice) ? choice.type : choice)) return body
    return names.reduce<JsonObject>((edited, name) => withMember(edited, name, undefined), body)
  })

/** The upstream's own name of the model. */
export const modelName = lossless((body, context) => withMember(body, 'model', context.model))

/** Members that the gateway reads itself, and credentials of its client: an upstream may refuse them. */
export const GATEWAY_MEMBERS = ['session_id', 'trace', 'plugins', 'api_key', 'apiKey'] as const

const hasGatewayMembers = (body: JsonObject): boolean => hasSome(body, GATEWAY_MEMBERS)

/** Of the plugins, the gateway has the web search only. */
const isOfPlugins = ({ path }: Loss): boolean => /^plugins\b/.test(path)

export const gatewayMembers = settingsEdit(hasGatewayMembers, function* (body, { settings, unsupported }) {
  const losses = Object.hasOwn(body, 'plugins') ? (yield* settings()).losses : []
  return {
    body: GATEWAY_MEMBERS.reduce<JsonObject>((edited, name) => withMember(edited, name, undefined), body),
    losses: joinLosses(unsupported.filter(isOfPlugins), losses.filter(isOfPlugins)),
  }
})
