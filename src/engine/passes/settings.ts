import { type Loss, mapped } from '../../protocol/loss.ts'
import type { InputItem, Request, SettingsUpdate } from '../../protocol/request.ts'
import type { PathMap } from '../../protocol/source-map.ts'
import type { Quirks } from '../../wires/quirks.ts'

const updateOf = (item: InputItem | undefined): SettingsUpdate | null =>
  item?.type === 'other' ? (item.update ?? null) : null

/** The index of the last item that sets this setting; -1 if none does. */
const lastOf = ({ input }: Pick<Request, 'input'>, setting: keyof SettingsUpdate): number =>
  input.findLastIndex((item) => (updateOf(item)?.[setting] ?? null) !== null)

/**
 * Applies the `configuration_update` items to the whole request: the last value of each setting takes the place of the
 * request's own.
 */
export function withLastSettings<Of extends Pick<Request, 'input' | 'reasoning' | 'text'>>(request: Of): Of {
  const { input, reasoning, text } = request
  const effort = updateOf(input[lastOf(request, 'effort')])?.effort ?? null
  const format = updateOf(input[lastOf(request, 'format')])?.format ?? null
  if (effort === null && format === null) return request
  return {
    ...request,
    reasoning: effort === null ? reasoning : { summary: reasoning?.summary ?? null, effort },
    text: format === null ? text : { verbosity: text?.verbosity ?? null, format },
  }
}

/** The item without the settings that are read from it. */
export const withoutUpdate = (item: InputItem): InputItem =>
  item.type === 'other' && item.update !== undefined ? { type: 'other', item: item.item } : item

/** Translates the paths of settings of `withLastSettings` to those of the items that set them. */
export function settingPaths(request: Pick<Request, 'input'>): PathMap {
  const [effort, format] = [lastOf(request, 'effort'), lastOf(request, 'format')]
  return (path) => {
    if (effort >= 0 && path === 'reasoning.effort') return `input[${effort}].${path}`
    return format >= 0 && path.startsWith('text.format') ? `input[${format}].${path}` : path
  }
}

export function settingLosses(request: Pick<Request, 'input'>): readonly Loss[] {
  const last = new Set([lastOf(request, 'effort'), lastOf(request, 'format')])
  return request.input.flatMap((item, at) => {
    const { effort = null, format = null } = updateOf(item) ?? {}
    if (effort === null && format === null) return []
    return [mapped(`input[${at}]`, last.has(at) ? 'it applies to the whole request' : 'a later one takes its place')]
  })
}

/** Sets the quirks that depend on the request. */
export function quirksOfAnswer(request: Request, quirks: Quirks): Quirks {
  const format = withLastSettings(request).text?.format?.type ?? 'text'
  return format === 'text' ? quirks : { ...quirks, jsonAnswer: true }
}
