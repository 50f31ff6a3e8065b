import type { JsonObject } from '../../../protocol/json.ts'
import { createTreeReader } from './body-tree.ts'
import { createClientValues } from './client-values.ts'
import { matchContainers } from './match-containers.ts'
import { matchEqual, matchWords } from './match-equal.ts'
import { matchMembers, matchSettings } from './match-members.ts'
import { matchContainedTexts, matchJsonTexts, matchShortParts } from './match-texts.ts'
import { type BodyMatching, createMatching } from './matching.ts'

/**
 * Matches the values of a client's body with those of its upstream's body. Equal objects and long texts match wherever
 * they are, and show where the messages and tools have gone; then texts in another form, short values beside what is
 * matched, and lists and objects by what they contain; then members with other values by their names. The time is
 * nearly linear in the size of both bodies.
 */
export function matchBodies(client: JsonObject, upstream: JsonObject): BodyMatching {
  const reader = createTreeReader()
  const [before, after] = [reader.read(client), reader.read(upstream)]
  const matching = createMatching(after, before)
  if (before.root.id === after.root.id) {
    matching.pairEqual(after.root, before.root)
    return matching
  }
  matching.pairContainers(after.root, before.root)
  const from = createClientValues(matching, reader)
  matchEqual(matching, from)
  matchJsonTexts(matching, from, reader)
  matchContainedTexts(matching)
  matchWords(matching, from)
  matchContainers(matching)
  matchMembers(matching)
  matchSettings(matching, from)
  matchShortParts(matching)
  return matching
}
