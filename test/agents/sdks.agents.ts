import { describeAgent } from './describe-agent.ts'
import { claudeAgentSdk } from './programs/claude-code.ts'
import { codexSdk, HTTP } from './programs/codex.ts'

describeAgent(claudeAgentSdk)
describeAgent(codexSdk(HTTP, 'gpt-6-sol'))
