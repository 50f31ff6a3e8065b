import { describeAgent } from './describe-agent.ts'
import { CHAT, MESSAGES, opencode } from './programs/opencode.ts'

for (const provider of [MESSAGES, CHAT]) describeAgent(opencode(provider))
