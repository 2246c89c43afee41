"""fastapi-users with bearer tokens in a database; there is no refresh."""

import contextlib
import uuid

import product
from fastapi import Depends, FastAPI
from fastapi_users import BaseUserManager, FastAPIUsers, UUIDIDMixin, exceptions, schemas
from fastapi_users.authentication import AuthenticationBackend, BearerTransport
from fastapi_users.authentication.strategy.db import DatabaseStrategy
from fastapi_users.db import SQLAlchemyBaseUserTableUUID, SQLAlchemyUserDatabase
from fastapi_users_db_sqlalchemy.access_token import SQLAlchemyAccessTokenDatabase, SQLAlchemyBaseAccessTokenTableUUID
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase


class Base(DeclarativeBase):
    """The tables."""


class User(SQLAlchemyBaseUserTableUUID, Base):
    """A user."""


class Token(SQLAlchemyBaseAccessTokenTableUUID, Base):
    """An access token."""


class Manager(UUIDIDMixin, BaseUserManager[User, uuid.UUID]):
    """The users' manager."""

    reset_password_token_secret = verification_token_secret = product.SIGNING_KEY


class Read(schemas.BaseUser[uuid.UUID]):
    """What is shown of a user."""


engine = create_async_engine(f"sqlite+aiosqlite:///{product.FOLDER}/database")
make_session = async_sessionmaker(engine, expire_on_commit=False)


async def session():
    """A session of the database."""
    async with make_session() as made:
        yield made


async def user_database(made=Depends(session)):
    """The users."""
    yield SQLAlchemyUserDatabase(made, User)


async def manager(database=Depends(user_database)):
    """The manager of a request."""
    yield Manager(database)


async def token_database(made=Depends(session)):
    """The access tokens."""
    yield SQLAlchemyAccessTokenDatabase(made, Token)


def strategy(database=Depends(token_database)):
    """Tokens in the database, of the product's lifetime."""
    return DatabaseStrategy(database, lifetime_seconds=product.ACCESS)


@contextlib.asynccontextmanager
async def life(_):
    """Makes the tables and Ada."""
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    async with make_session() as made:
        with contextlib.suppress(exceptions.UserAlreadyExists):
            ada = schemas.BaseUserCreate(email="ada@example.com", password="correct horse 9", is_verified=True)
            await Manager(SQLAlchemyUserDatabase(made, User)).create(ada)
    yield


backend = AuthenticationBackend("db", BearerTransport("auth/db/login"), strategy)
users = FastAPIUsers[User, uuid.UUID](manager, [backend])
app = FastAPI(lifespan=life)
app.include_router(users.get_auth_router(backend), prefix="/auth/db")
app.include_router(users.get_users_router(Read, schemas.BaseUserUpdate), prefix="/users")
application = product.RecordedASGI(app)
