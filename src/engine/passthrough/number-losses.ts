import type { JsonObject } from '../../protocol/json.ts'
import { addLoss, INFINITE, type Loss, mapped, ROUNDED } from '../../protocol/loss.ts'
import type { Steps } from '../../text/steps.ts'
import { formatPath } from '../../validation/messages.ts'
import { isLargeNumber } from '../../wires/shared/large-numbers.ts'

/** A list or an object of a body, and its place in the one around it. */
interface Place {
  readonly value: object
  readonly step: string | number
  readonly parent: Place | null
}

/** Values between two slices. */
const SLICE = 1000

/**
 * The numbers of a client's body that may have been other numbers in its text: the body was parsed, and is written
 * again. `names`: the members that reach the upstream as they are. O(n); the depth is not bounded.
 */
export function* numberLosses(body: JsonObject, names: readonly string[]): Steps<readonly Loss[]> {
  const losses: Loss[] = []
  const places: Place[] = []
  let count = 0
  const visit = (inner: unknown, step: string | number, parent: Place | null): void => {
    if (typeof inner === 'number' && isLargeNumber(inner))
      addLoss(losses, mapped(pathOf({ step, parent }), Number.isFinite(inner) ? ROUNDED : INFINITE))
    else if (typeof inner === 'object' && inner !== null) places.push({ value: inner, step, parent })
  }
  for (const name of names) visit(body[name], name, null)
  for (const place of places) {
    const { value } = place
    const steps = Array.isArray(value) ? null : Object.keys(value)
    const inside = value as Readonly<Record<string | number, unknown>>
    const length = steps?.length ?? (value as readonly unknown[]).length
    for (let at = 0; at < length; at += 1) {
      const step = steps?.[at] ?? at
      visit(inside[step], step, place)
      count += 1
      if (count % SLICE === 0) yield
    }
  }
  return losses
}

function pathOf({ step, parent }: Pick<Place, 'step' | 'parent'>): string {
  const steps = [step]
  for (let outer = parent; outer !== null; outer = outer.parent) steps.push(outer.step)
  return formatPath(steps.reverse())
}
