from rck.hooks import CollisionBackend, discover
from rck.testing.collision import check_backend


def test_it_keeps_the_contract_of_collision_back_ends() -> None:
    check_backend(next(one for one in discover().all(CollisionBackend) if one.name == "my-plugin"), pairs=20)
