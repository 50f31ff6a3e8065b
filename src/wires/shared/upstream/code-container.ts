import type { JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'

const isIdle = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0)

/**
 * Returns the paths of what the tool `code_interpreter` requests of its container, for an upstream that runs code in one
 * of its own: the container `{type: "auto"}` requests nothing.
 */
export function requestedContainer({ container }: JsonObject): readonly string[] {
  if (!isObject(container)) return container === undefined || isIdle(container) ? [] : ['container']
  return Object.entries(container).flatMap(([name, value]) =>
    name === 'type' || isIdle(value) ? [] : [`container.${name}`],
  )
}
