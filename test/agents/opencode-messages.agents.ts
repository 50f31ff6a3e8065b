import { describeAgent } from './describe-agent.ts'
import { MESSAGES, opencode } from './programs/opencode.ts'

describeAgent(opencode(MESSAGES))
