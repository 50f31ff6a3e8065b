import { hash32 } from '../../text/hash.ts'

/** A member of a pool: its part of the keys, or of the turns, is its part of the sum of all weights. */
export interface Weighted {
  readonly name: string
  readonly weight: number
}

/**
 * Orders members by their scores for a key, the preferred one first (weighted rendezvous hashing: Thaler and
 * Ravishankar, 1998). A score depends on the key, the name and the weight of one member alone. Nothing has to be stored
 * for that, several servers agree, and a member that is removed moves only the keys that preferred it, each to its next.
 */
export const rendezvous = <T extends Weighted>(members: readonly T[], key: number): readonly T[] =>
  members
    .map((member) => ({ member, score: scoreOf(member, key) }))
    .sort((one, other) => other.score - one.score || (one.member.name < other.member.name ? -1 : 1))
    .map(({ member }) => member)

const HASHES = 2 ** 32

const scoreOf = ({ name, weight }: Weighted, key: number): number =>
  -weight / Math.log((hash32(name, key) + 0.5) / HASHES)
