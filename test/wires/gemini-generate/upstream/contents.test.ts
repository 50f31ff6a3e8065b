import { testUpstreamRequests } from '../../request-cases.ts'
import { CONTENTS } from './contents.ts'

testUpstreamRequests(CONTENTS)
