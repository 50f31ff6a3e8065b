import { type Loss, mapped } from '../../protocol/loss.ts'
import { addedTools, type InputItem, type Request } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import { isNonEmptyString } from '../../text/json.ts'
import { RESPONSES_WIRE, type Wire } from '../../wires/contract.ts'
import { INPUT_CHANGES, type InputChange, type Quirks } from '../../wires/quirks.ts'
import { staysInPlace } from '../../wires/shared/upstream/input/in-place.ts'
import { hasToolSearch, supportsToolSearch } from '../../wires/shared/upstream/input/tool-search.ts'
import { clientToolsOf, receivesToolItems } from './client-tools.ts'
import { type OfferedTools, offerTools } from './offered-tools.ts'
import type { Pass } from './pass.ts'
import { settingLosses, settingPaths, withLastSettings, withoutUpdate } from './settings.ts'

const changeOf = (item: InputItem | undefined): InputChange | null =>
  item?.type === 'other' ? (INPUT_CHANGES.get(item.item.type) ?? null) : null

/** A search that the client ran is a call with an output; one that an upstream ran has no id. */
const isCalled = (item: InputItem): boolean => item.type === 'other' && isNonEmptyString(item.item.call_id)

interface ChangeContext {
  /** Whether the upstream has what an item changes. */
  readonly stays: (item: InputItem | undefined) => boolean
  /** Whether the upstream searches deferred tools. */
  readonly finds: boolean
  /** Whether the client receives calls of a search of tools. */
  readonly searches: boolean
}

function contextOf(wire: Wire, request: Request, quirks: Quirks, searches: boolean): ChangeContext {
  const isNative = wire.name === RESPONSES_WIRE
  return {
    stays: (item) => isNative && item?.type === 'other' && staysInPlace(item.item, quirks),
    finds: isNative && supportsToolSearch(request, quirks),
    searches,
  }
}

/** The change of an item that the upstream does not have. */
const lackingChange = (item: InputItem | undefined, { stays }: ChangeContext): InputChange | null =>
  stays(item) ? null : changeOf(item)

/** Whether the item is left out of the input, because the request has what it changes. */
function isApplied(item: InputItem, context: ChangeContext): boolean {
  const change = lackingChange(item, context)
  return change !== null && (change !== 'tool_search' || !(context.searches && isCalled(item)))
}

const MERGED: Readonly<Partial<Record<InputChange, string>>> = {
  additional_tools: 'its tools are sent with the request’s',
  tool_search: 'the tools that the search found are sent with the request’s',
}

const mergeLosses = ({ input }: Request, context: ChangeContext): readonly Loss[] =>
  input.flatMap((item, at) => {
    const change = isApplied(item, context) ? changeOf(item) : null
    const why = change === null ? undefined : MERGED[change]
    return why === undefined ? [] : [mapped(`input[${at}]`, why)]
  })

/** The tools of the request, and of those items that the upstream does not have. */
function toolsFor(request: Request, context: ChangeContext): OfferedTools {
  const { input } = request
  const merged = addedTools(input).filter(({ at }) => lackingChange(input[at], context) !== null)
  const isSearched = context.searches && clientToolsOf(request, ['tool_search']).size > 0
  return offerTools(request, {
    merged,
    found: merged.filter(({ at }) => changeOf(input[at]) === 'tool_search'),
    deferred: context.finds ? 'kept' : isSearched ? 'withheld' : 'at once',
  })
}

/** Changes of tools and settings in the input that the upstream does not have are applied to the whole request. */
export const inputChanges: Pass = ({ request, sent }, { wire, quirks }) => {
  if (sent.wire !== RESPONSES_WIRE && wire.name !== RESPONSES_WIRE) return null
  if (!hasToolSearch(request) && request.input.every((item) => changeOf(item) === null)) return null
  const context = contextOf(wire, request, quirks, receivesToolItems(sent))
  return {
    apply(original) {
      const { tools, places, losses } = toolsFor(original, context)
      const items = original.input.flatMap((item, at) => (isApplied(item, context) ? [] : [at]))
      const input = items.flatMap((at) => original.input[at] ?? [])
      // The settings of items that stay in their place are the upstream's to apply.
      const applied = {
        ...original,
        input: original.input.map((item) => (context.stays(item) ? withoutUpdate(item) : item)),
      }
      const changes = [...mergeLosses(original, context), ...settingLosses(applied), ...losses]
      return {
        ok: true,
        request: { ...withLastSettings(applied), input, tools },
        losses: changes,
        toEarlier: movedEntries({ input: items, tools: places }, settingPaths(applied)),
      }
    },
  }
}
