import type { DiffRow } from './body-line.ts'

/** A remark about a value of one of the two bodies. */
export interface BodyNote {
  readonly kind: 'loss' | 'problem' | 'breakpoint'
  readonly side: 'left' | 'right'
  readonly path: string
  readonly text: string
}

/** Notes by the row at which they belong, and those about no value. */
export interface PlacedNotes {
  readonly byRow: ReadonlyMap<number, readonly BodyNote[]>
  readonly general: readonly BodyNote[]
}

/** The path without its last step; null for the path of a member of the body. */
function outerPath(path: string): string | null {
  const at = Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))
  return at <= 0 ? null : path.slice(0, at)
}

/**
 * Places each note at the first row of its value, or else of the nearest value around it: a value that was left out of
 * the upstream's body has no row there.
 */
export function placeNotes(rows: readonly DiffRow[], notes: readonly BodyNote[]): PlacedNotes {
  const places = { left: new Map<string, number>(), right: new Map<string, number>() }
  rows.forEach(({ left, right }, at) => {
    if (left?.starts === true) places.left.set(left.path, at)
    if (right?.starts === true) places.right.set(right.path, at)
  })
  const byRow = new Map<number, BodyNote[]>()
  const general: BodyNote[] = []
  for (const note of notes) {
    let path: string | null = note.path
    while (path !== null && !places[note.side].has(path)) path = outerPath(path)
    const row = path === null ? undefined : places[note.side].get(path)
    if (row === undefined) general.push(note)
    else byRow.set(row, [...(byRow.get(row) ?? []), note])
  }
  return { byRow, general }
}
