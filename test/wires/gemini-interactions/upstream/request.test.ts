import { testUpstreamRequests } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

testUpstreamRequests(REQUESTS)
