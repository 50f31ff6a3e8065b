import { CLIENT_WIRES } from '../../test/cross-translate.ts'
import { FEATURES, supportOf } from '../../test/support-matrix.ts'
import { table } from './markdown.ts'

/** What the clients of each wire receive of each feature of an answer, measured by translating it there and back. */
export const lossTable = (): string =>
  table(
    ['a response has', ...CLIENT_WIRES.map(({ name }) => name)],
    FEATURES.map((feature) => [feature.name, ...CLIENT_WIRES.map((wire) => supportOf(wire, feature))]),
  )
