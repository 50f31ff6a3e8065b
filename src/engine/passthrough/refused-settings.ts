import type { Json, JsonObject } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import { isObject } from '../../text/json.ts'
import { pathsIn, valueAt } from '../../text/json-path.ts'
import type { Steps } from '../../text/steps.ts'
import { type BodyShape, type SettingName, shapeOf } from '../../wires/body-contract.ts'
import type { Wire } from '../../wires/contract.ts'
import type {
  EditBody,
  EditContext,
  EditedBody,
  EncodedSettings,
  HubRules,
  VendorSettings,
} from '../../wires/passthrough-contract.ts'
import { ownSteps, withMember, withValue } from '../../wires/shared/passthrough/members.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'

/** Settings that the rules of the upstream change, and the losses, with the client's own paths. */
interface ChangedSettings {
  readonly settings: readonly SettingName[]
  readonly losses: readonly Loss[]
}

/** The name of this edit, which all protocols have. */
export const SETTINGS_EDIT = 'refused settings'

/**
 * Sets the settings that the upstream refuses as the hub encodes them: those that its rules change, and those that the
 * hub drops or lowers for its vendor. All others stay as the client sent them.
 */
export const refusedSettings = (
  body: JsonObject,
  context: EditContext,
  plan: ChangedSettings,
  wire: Wire,
  rules: HubRules,
): ReturnType<EditBody> =>
  plan.settings.length > 0 ||
  plan.losses.length > 0 ||
  (rules.settingsOfVendors !== undefined && mayLose(body, rules.settingsOfVendors, context))
    ? edit(body, context, plan, wire, rules)
    : { body, losses: [] }

const mayLose = (body: JsonObject, { paths, takes }: VendorSettings, { quirks }: EditContext): boolean =>
  pathsIn(body, paths).some((path) => {
    const value = valueAt(body, path)
    return value !== undefined && takes?.(path, value, quirks) !== true
  })

function* edit(
  body: JsonObject,
  { model, quirks, settings }: EditContext,
  plan: ChangedSettings,
  wire: Wire,
  { settingsOfVendors: some, joinMembers }: HubRules,
): Steps<EditedBody> {
  const encoded = yield* settings()
  const shape = shapeOf(wire)
  const join: JoinMembers = (path, own, set) =>
    joinMembers?.(path, own, set, body, factsOf({ model, quirks }, wire.name)) ?? set
  const known = new Set(plan.losses.map(({ path }) => path))
  const lost = encoded.losses.filter(
    ({ path }) => some?.paths.includes(path) === true && !known.has(path) && valueAt(body, path) !== undefined,
  )
  const changed = plan.settings.reduce((now, name) => withSetting(now, name, encoded, shape, join), body)
  const isKept = ({ path, action }: Loss): boolean => action === 'mapped' && isSame(body, changed, path)
  const moved = encoded.losses.filter(
    ({ path, action }) =>
      action === 'mapped' &&
      !known.has(path) &&
      typeof valueAt(body, path) === 'number' &&
      !isSame(body, changed, path),
  )
  return {
    body: lost.reduce((now, loss) => withoutLost(now, loss, encoded, some?.together), changed),
    losses: [...plan.losses.filter((loss) => !isKept(loss)), ...moved, ...lost],
  }
}

/** Whether a number has stayed, though the settings beside it have another form. */
const isSame = (body: JsonObject, changed: JsonObject, path: string): boolean =>
  typeof valueAt(body, path) === 'number' && valueAt(body, path) === valueAt(changed, path)

type JoinMembers = (path: string, own: JsonObject, encoded: JsonObject) => JsonObject

function withoutLost(
  body: JsonObject,
  { path, action }: Loss,
  encoded: EncodedSettings,
  together: readonly string[] = [],
): JsonObject {
  const value = action === 'mapped' ? (valueAt(encoded.body, path) as Json | undefined) : undefined
  const lost = together.includes(path) ? together : [path]
  return lost.reduce((now, one) => withValue(now, one.split('.'), value), body)
}

/** The body with a setting as the hub encodes it, in each place where the protocol may have it. */
function withSetting(
  body: JsonObject,
  name: SettingName,
  encoded: EncodedSettings,
  shape: BodyShape,
  join: JoinMembers,
): JsonObject {
  const all = [shape.settings[name] ?? name].flat()
  const outer = all.filter((path) => !all.some((other) => path.startsWith(`${other}.`)))
  return outer.reduce((now, path) => {
    const steps = ownSteps(now, path.split('.'))
    const [own, set] = [valueAt(now, steps.join('.')), valueAt(encoded.body, path) as Json | undefined]
    const joins = isObject(own) && isObject(set)
    const value = joins ? join(path, own as JsonObject, set as JsonObject) : set
    return withValue(value === undefined ? now : withParents(now, steps), steps, value)
  }, body)
}

/** The body with the objects in which a member is. */
function withParents(body: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  if (rest.length === 0) return body
  const inner = body[name]
  return withMember(body, name, withParents(isObject(inner) ? (inner as JsonObject) : {}, rest))
}
