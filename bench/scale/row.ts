/** One line of a table. */
export interface Row {
  readonly name: string
  readonly unit: string
  readonly values: readonly number[]
}
