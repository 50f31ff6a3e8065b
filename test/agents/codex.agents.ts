import { describeAgent } from './describe-agent.ts'
import { codex, HTTP } from './programs/codex.ts'

for (const model of ['a-model', 'gpt-5.5', 'gpt-6-sol']) describeAgent(codex(HTTP, model))
