import { base } from './base/part.ts'
import { linearity } from './linearity/part.ts'
import type { Part } from './part.ts'
import { peers, serverPeers } from './peers/part.ts'
import { contents, texts } from './pipeline/part.ts'
import { scale } from './scale/part.ts'
import { passed, requestCosts, server, webSockets } from './server/part.ts'
import { stages } from './stages/part.ts'
import { startUp } from './start-up/part.ts'
import { traces } from './traces/part.ts'
import { webStreams } from './web-streams/part.ts'

/** In the order of the page. */
export const PARTS: readonly Part[] = [
  texts,
  contents,
  base,
  peers,
  serverPeers,
  server,
  requestCosts,
  passed,
  webSockets,
  scale,
  linearity,
  webStreams,
  stages,
  startUp,
  traces,
]
