import type { JsonObject } from '../protocol/json.ts'
import { joinLosses, type Loss, lossesIn } from '../protocol/loss.ts'
import type { Request, Tool } from '../protocol/request.ts'
import { lookup } from '../text/lookup.ts'
import { differsAt } from '../text/same-json.ts'
import { valueAt } from '../text/value-at.ts'
import type { WireName } from '../wires/wire.ts'
import type { Heard } from './front.ts'

const IN_TOOL = /^tools\[(\d+)\]/

/**
 * Places of a request as it is sent on → the words of who asked: its tools are no more where they stood. `search` is
 * where, in those words, the search was asked for whose tool this service has made.
 */
export const ownPlaces =
  ({ toolPlaces, toOwnPlace }: Heard, search: string | null = null) =>
  ({ tools }: Pick<Request, 'tools'>) =>
  (path: string): string | null => {
    const [entry = '', index] = IN_TOOL.exec(path) ?? []
    const tool = index === undefined ? undefined : tools[Number(index)]
    if (tool === undefined) return toOwnPlace(path)
    const place = toolPlaces.get(tool)
    const inside = path.slice(entry.length)
    return place === undefined ? inSearch(tool, inside, search ?? 'tools') : toOwnPlace(place + inside)
  }

/** What the plugin calls fields of the tool that is made of it; the others have one name in both. */
const PLUGIN_FIELDS: Readonly<Record<string, string>> = {
  allowed_domains: 'include_domains',
  excluded_domains: 'exclude_domains',
}

/** A place inside a tool of ours, where its search was asked for. Only a plugin has fields of its own. */
function inSearch(tool: Tool, inside: string, search: string): string {
  const [start = '', field = ''] = /^\.parameters\.([^.[]+)/.exec(inside) ?? []
  if (tool.type !== 'hosted' || field === '' || !search.startsWith('plugins[')) return search
  return `${search}.${lookup(PLUGIN_FIELDS, field) ?? field}${inside.slice(start.length)}`
}

/** What goes to an upstream. */
interface Written {
  readonly wire: WireName
  readonly body: JsonObject
  readonly losses: readonly Loss[]
}

/** What an upstream of the client's own family gets under the same name and with the same value was not mapped. */
const arrives =
  ({ sent }: Heard, { wire, body }: Written) =>
  ({ action, path }: Loss): boolean => {
    if (action !== 'mapped' || sent.wire !== wire) return false
    const value = valueAt(sent.body, path)
    return value !== undefined && differsAt(value, valueAt(body, path)) === null
  }

/** All that is lost of a request from its client to its upstream, each thing once, in the words of who asked. */
export function lossesOf(heard: Heard, written: Written, toPlace: (path: string) => string | null): readonly Loss[] {
  const found = joinLosses(heard.losses, lossesIn(written.losses, toPlace))
  const isNone = arrives(heard, written)
  return found.filter((loss) => !isNone(loss))
}
