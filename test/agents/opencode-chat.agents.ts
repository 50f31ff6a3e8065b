import { describeAgent } from './describe-agent.ts'
import { CHAT, opencode } from './programs/opencode.ts'

describeAgent(opencode(CHAT))
