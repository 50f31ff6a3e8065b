import { useDoor } from './doors.ts'

useDoor('node')
