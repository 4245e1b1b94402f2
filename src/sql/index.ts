export { type JdbcAddress, jdbcAddress } from './jdbc-url.ts'
export { EVENTS as SQL_EVENTS } from './log-events.ts'
export { openDataSource } from './open-data-source.ts'
