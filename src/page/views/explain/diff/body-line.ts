/**
 * What became of a line. `moved`: the same value is below another parent, or at another place of its list, and may have
 * another name. `changed`: its counterpart has another value, or another name at the same place. `part`: the value is a
 * part of a text of the other body, or contains one.
 */
export type LineKind = 'same' | 'changed' | 'added' | 'removed' | 'moved' | 'part'

/** One line of a body that is written with one value a line. */
export interface BodyLine {
  readonly kind: LineKind
  readonly path: string
  /** The number of lists and objects around it. */
  readonly depth: number
  /** The name of the member, as it is in the body. */
  readonly name: string | null
  /** A value as JSON, or `{`, `}`, `[`, `]`. */
  readonly text: string
  /** Whether this line starts a value: all but `}` and `]` do. */
  readonly starts: boolean
  /** Whether it is the first line of what moved together. */
  readonly leads: boolean
  /** The path of its counterpart in the other body, if that is in another row. */
  readonly other: string | null
}

/** A line of the client's body beside a line of the upstream's; null where one of them has none. */
export interface DiffRow {
  readonly left: BodyLine | null
  readonly right: BodyLine | null
}
