import type { Request } from '../protocol/request.ts'
import type { Heard } from './front.ts'

const IN_TOOL = /^tools\[(\d+)\]/

/**
 * Places of a request as it is sent on → the words of who asked: its tools are no more where they stood. `search` is
 * where, in those words, the search was asked for whose tool this service has made.
 */
export const ownPlaces =
  ({ toolPlaces, toOwnPlace }: Heard, search: string | null = null) =>
  ({ tools }: Pick<Request, 'tools'>) =>
  (path: string): string => {
    const [entry = '', index] = IN_TOOL.exec(path) ?? []
    const tool = index === undefined ? undefined : tools[Number(index)]
    if (tool === undefined) return toOwnPlace(path)
    const place = toolPlaces.get(tool)
    // What stands in a tool of ours has another shape where it was asked for.
    return place === undefined ? (search ?? 'tools') : toOwnPlace(place + path.slice(entry.length))
  }
