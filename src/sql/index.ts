export { type JdbcAddress, jdbcAddress } from './jdbc-url.ts'
export { openDataSource } from './open-data-source.ts'
