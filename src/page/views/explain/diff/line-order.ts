import type { BodyLine, DiffRow } from './body-line.ts'

/** The positions of a longest rising subsequence. O(n log n). */
export function longestRise(numbers: readonly number[]): readonly number[] {
  const ends: number[] = []
  const before: number[] = []
  numbers.forEach((number, at) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1
      else high = middle
    }
    before.push(low === 0 ? -1 : (ends[low - 1] ?? -1))
    ends[low] = at
  })
  const found: number[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) found.push(at)
  return found.reverse()
}

/**
 * Puts lines that only one body has beside each other: counterparts of one block first, such as a list that became the
 * member of a new object, then the lines between them. The order of each side stays.
 */
export function besideEachOther(rows: readonly DiffRow[]): readonly DiffRow[] {
  const joined: DiffRow[] = []
  let block: { readonly left: BodyLine[]; readonly right: BodyLine[] } = { left: [], right: [] }
  const flush = (): void => {
    joined.push(...joinBlock(block.left, block.right))
    block = { left: [], right: [] }
  }
  for (const row of rows) {
    if (row.left !== null && row.right !== null) {
      flush()
      joined.push(row)
    } else if (row.left !== null) block.left.push(row.left)
    else if (row.right !== null) block.right.push(row.right)
  }
  flush()
  return joined
}

const endOf = (path: string, isStart: boolean): string => `${isStart ? 'start' : 'end'} ${path}`

function joinBlock(left: readonly BodyLine[], right: readonly BodyLine[]): readonly DiffRow[] {
  const places = new Map(right.map(({ path, starts }, at) => [endOf(path, starts), at]))
  const found = left.flatMap(({ other, starts }, at) => {
    const place = other === null ? undefined : places.get(endOf(other, starts))
    return place === undefined ? [] : [{ at, place }]
  })
  const fixed = longestRise(found.map(({ place }) => place)).flatMap((at) => found[at] ?? [])
  const rows: DiffRow[] = []
  let [from, to] = [0, 0]
  for (const { at, place } of [...fixed, { at: left.length, place: right.length }]) {
    const count = Math.max(at - from, place - to)
    for (let i = 0; i < count; i += 1) {
      rows.push({
        left: from + i < at ? (left[from + i] ?? null) : null,
        right: to + i < place ? (right[to + i] ?? null) : null,
      })
    }
    const [one, other] = [left[at], right[place]]
    if (one !== undefined && other !== undefined) rows.push({ left: one, right: other })
    from = at + 1
    to = place + 1
  }
  return rows
}
