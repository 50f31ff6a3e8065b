import { createWire } from '../create-wire.ts'
import { converseCounts } from './count-tokens.ts'
import { converseBody } from './upstream/body.ts'
import { cacheSupport } from './upstream/cache-points.ts'
import { address, authorize, encodeRequest } from './upstream/request.ts'
import { bedrockConverseStream } from './upstream/stream-wire.ts'

export { bedrockConverseStream } from './upstream/stream-wire.ts'

/** Amazon Bedrock, Converse and ConverseStream (docs/wires/bedrock-converse.md, 2). */
export const bedrockConverse = /* @__PURE__ */ createWire(bedrockConverseStream, {
  encodeRequest,
  address,
  modelInPath: true,
  mostTemperature: 1,
  authorize,
  body: converseBody,
  lateSystem: 'user',
  needsSealedReasoning: true,
  counts: converseCounts,
  textFiles: () => /^text\/(?:plain|csv|html|markdown)$/i,
  inputMembers: ['failed', 'cited'],
  cacheSupport,
})
