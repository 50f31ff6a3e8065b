/** Maps a list; the list itself where no entry changes, so that whoever sends it can compare the two. */
export function mapSame<Entry>(list: readonly Entry[], map: (entry: Entry, at: number) => Entry): readonly Entry[] {
  const mapped = list.map(map)
  return mapped.every((entry, at) => entry === list[at]) ? list : mapped
}
