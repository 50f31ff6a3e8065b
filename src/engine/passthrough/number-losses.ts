import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { addLoss, INFINITE, type Loss, mapped, ROUNDED } from '../../protocol/loss.ts'
import type { Steps } from '../../text/steps.ts'
import { formatPath } from '../../validation/messages.ts'
import { isLargeNumber } from '../../wires/shared/large-numbers.ts'

/** The lists and objects of a body, with the step to each and the index of the one around it; -1: the body. */
class Places {
  readonly values: object[] = []
  private readonly steps: (string | number)[] = []
  private readonly parents: number[] = []

  add(value: object, step: string | number, parent: number): void {
    this.values.push(value)
    this.steps.push(step)
    this.parents.push(parent)
  }

  pathOf(step: string | number, parent: number): string {
    const steps = [step]
    for (let at = parent; at >= 0; at = this.parents[at] ?? -1) steps.push(this.steps[at] ?? '')
    return formatPath(steps.reverse())
  }
}

/** Values between two slices. */
const SLICE = 1000

/**
 * The numbers of a client's body that may have been other numbers in its text: the body was parsed, and is written
 * again. `names`: the members that reach the upstream as they are. O(n); the depth is not bounded.
 */
export function* numberLosses(body: JsonObject, names: readonly string[]): Steps<readonly Loss[]> {
  const losses: Loss[] = []
  const places = new Places()
  let count = 0
  const visit = (inner: unknown, step: string | number, parent: number): void => {
    if (typeof inner === 'number' && isLargeNumber(inner))
      addLoss(losses, mapped(places.pathOf(step, parent), Number.isFinite(inner) ? ROUNDED : INFINITE))
    else if (typeof inner === 'object' && inner !== null) places.add(inner, step, parent)
  }
  for (const name of names) visit(body[name], name, -1)
  for (let at = 0; at < places.values.length; at += 1) {
    const value = places.values[at] as JsonRecord
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) {
        visit(value[index], index, at)
        if (++count % SLICE === 0) yield
      }
      continue
    }
    for (const name in value) {
      visit(value[name], name, at)
      if (++count % SLICE === 0) yield
    }
  }
  return losses
}
