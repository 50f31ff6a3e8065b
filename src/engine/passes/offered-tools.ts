import { type Loss, mapped } from '../../protocol/loss.ts'
import type { AddedTools, Request, Tool } from '../../protocol/request.ts'
import { isNonEmptyString } from '../../text/json.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { isDeferred, isToolSearch } from '../../wires/shared/upstream/input/tool-search.ts'
import { SENT_AT_ONCE } from './responses-fields.ts'

/** The tools of a request as an upstream without changes of the input is offered them. */
export interface OfferedTools {
  readonly tools: readonly Tool[]
  /** The index of each of them in `tools` of the request. */
  readonly places: readonly number[]
  readonly losses: readonly Loss[]
}

/** How the tools of the input, and deferred ones, reach the upstream. */
interface OfferRules {
  /** The items whose tools are sent with those of the request. */
  readonly merged: readonly AddedTools[]
  /** Those of them that a search has found: they are not deferred any more. */
  readonly found: readonly AddedTools[]
  /**
   * Deferred tools are sent as they are, or only once a search of the client has found them, or at once because there is
   * no search.
   */
  readonly deferred: 'kept' | 'withheld' | 'at once'
}

/** Tools of one key take each other's place. MCP servers have one type and a label each. */
function keyOf(tool: Tool): string {
  if (tool.type !== 'hosted') return tool.name
  const { server_label: label } = tool.fields
  return isNonEmptyString(label) ? `${tool.name} ${label} ` : `${tool.name} `
}

const atOnce = (tool: Tool): Tool => (tool.type === 'hosted' ? tool : { ...tool, deferred: undefined })

const isForced = ({ tool_choice: choice }: Request, tool: Tool): boolean =>
  typeof choice === 'object' && choice !== null && choice.type === tool.type && choice.name === tool.name

/** Whether both are the same to an upstream; a search of tools returns a tool with its own setting of loading. */
const isSame = (left: Tool, right: Tool): boolean => firstDifference(atOnce(left), atOnce(right)) === null

/**
 * Merges the tools of the input into those of the request. They follow in the order of the input, so that the list of a
 * later turn begins with that of an earlier one, and the upstream finds its cached prefix. A tool that is added a second
 * time stays in its place, with its last definition.
 */
export function offerTools(request: Request, { merged, found, deferred }: OfferRules): OfferedTools {
  const added = new Set(merged.flatMap(({ tools }) => tools))
  const loaded = new Set(found.flatMap(({ tools }) => tools))
  const offered: { tool: Tool; at: number }[] = []
  const losses: Loss[] = []
  const known = new Map<string, number>()
  for (const [at, tool] of request.tools.entries()) {
    if (isToolSearch(tool) && deferred === 'at once' && !isForced(request, tool)) {
      losses.push(
        mapped(`tools[${at}]`, 'this upstream has no search of tools, so that deferred tools are sent at once'),
      )
      continue
    }
    const isHeldBack = deferred !== 'kept' && isDeferred(tool)
    if (isHeldBack && !loaded.has(tool)) {
      if (deferred === 'withheld' && !isForced(request, tool)) continue
      losses.push(mapped(`tools[${at}].defer_loading`, SENT_AT_ONCE))
    }
    const entry = { tool: isHeldBack ? atOnce(tool) : tool, at }
    const place = added.has(tool) ? known.get(keyOf(tool)) : undefined
    const earlier = place === undefined ? undefined : offered[place]
    if (place === undefined || earlier === undefined) {
      known.set(keyOf(tool), offered.length)
      offered.push(entry)
      continue
    }
    if (!isSame(earlier.tool, tool)) {
      losses.push(mapped(`tools[${earlier.at}]`, 'a later tool of the same name takes its place'))
    }
    offered[place] = entry
  }
  return { tools: offered.map(({ tool }) => tool), places: offered.map(({ at }) => at), losses }
}
