import { describeAgent } from './describe-agent.ts'
import { geminiCli } from './programs/gemini-cli.ts'

describeAgent(geminiCli)
