import type { Change } from './changes.ts'

export interface NumberedChange extends Change {
  readonly number: number
}

/** Whether a change is made is asked when its expression is evaluated, so that one tree carries them all. */
const asked = (number: number): string => `globalThis.__change?.(${number})`

/**
 * Returns the text of a file in which every change stands beside what it replaces, under a condition. A change inside
 * the expression of another is in both branches of it.
 */
export function withChanges(text: string, changes: readonly NumberedChange[]): string {
  const render = (start: number, end: number, inside: readonly NumberedChange[], change?: NumberedChange): string => {
    let written = ''
    let at = start
    const outer = inside.filter((one) => !inside.some((other) => other !== one && contains(other, one)))
    for (const one of outer) {
      const nested = inside.filter((other) => other !== one && contains(one, other))
      written += plain(at, one.around.start, change) + conditional(one, nested)
      at = one.around.end
    }
    return written + plain(at, end, change)
  }
  const plain = (start: number, end: number, change: NumberedChange | undefined): string =>
    change !== undefined && change.start >= start && change.end <= end
      ? text.slice(start, change.start) + change.after + text.slice(change.end, end)
      : text.slice(start, end)
  const conditional = (one: NumberedChange, nested: readonly NumberedChange[]): string => {
    const { start, end, form } = one.around
    const either = `(${asked(one.number)} ? (${render(start, end, nested, one)}) : (${render(start, end, nested)}))`
    if (form === 'name') return `[${either}]`
    // A statement must not begin with a bracket, because the line above has no semicolon.
    return form === 'statement' ? `0, ${either}` : either
  }
  return render(
    0,
    text.length,
    [...changes].sort((a, b) => a.around.start - b.around.start || b.around.end - a.around.end),
  )
}

const contains = ({ around: outer }: Change, { around: inner }: Change): boolean =>
  outer.start <= inner.start && inner.end <= outer.end
